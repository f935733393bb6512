// SPDX-License-Identifier: Apache-2.0

package karp

// Objects of dynamic resource allocation (Settings.DRARequests), with the fields that decisions read; karp/devices.h says
// what each means.

// Kinds of attributes.
const (
	AttributeString uint32 = iota
	AttributeInt
	AttributeBool
	AttributeVersion
)

// A DeviceAttribute of a device: Name is "domain/name", or "name" of the driver's own domain.
type DeviceAttribute struct {
	Name   string
	Kind   uint32
	Text   string // of a string or version
	Number int64  // of an int; 0 or 1 of a bool
}

// A RequestPolicy says how a share of a capacity may be asked for; amounts are "" when absent.
type RequestPolicy struct {
	Default                string
	HasRange               bool // validRange is there
	Minimum, Maximum, Step string
	ValidValues            []string // ascending
}

// A DeviceCapacity of a device.
type DeviceCapacity struct {
	Name   string
	Value  string
	Policy *RequestPolicy
}

// A Counter of devices.
type Counter struct{ Name, Value string }

// A CounterSet is what devices of a pool share, or what one of them takes of it.
type CounterSet struct {
	Name     string
	Counters []Counter
}

// A Device of a slice.
type Device struct {
	Name          string
	Attributes    []DeviceAttribute
	Capacity      []DeviceCapacity
	Consumes      []CounterSet
	AllowMultiple bool // allocations
}

// A ResourceSlice. One that states none of AllNodes, NodeName and a node selector is reachable from nowhere.
type ResourceSlice struct {
	Meta            Meta // an owner of kind Node ties the slice to that node
	Driver          string
	Pool            string
	Generation      int64
	SliceCount      int64
	NodeName        string
	HasNodeSelector bool // even without terms
	NodeTerms       []NodeTerm
	AllNodes        bool
	Devices         []Device
	SharedCounters  []CounterSet
}

// A DeviceClass: Selectors are CEL expressions, all of which have to hold.
type DeviceClass struct {
	Meta      Meta
	Selectors []string
}

// A DeviceTemplate is a slice that the drivers of a new node will publish.
type DeviceTemplate struct {
	Driver         string
	Pool           string
	Devices        []Device
	SharedCounters []CounterSet
}

// A DeviceID is where a device is found.
type DeviceID struct{ Driver, Pool, Device string }

// An AttributeBinding is of devices that will have the same value of an attribute, whatever it turns out to be.
type AttributeBinding struct {
	Attribute string
	Devices   []DeviceID
}

// How many devices a request is for.
const (
	AllocateExactCount uint32 = iota
	AllocateAll
)

// A DeviceRequest of a claim: exactly what its fields say, or, where there are Alternatives, the first of them that is
// available. Alternatives have none of their own.
type DeviceRequest struct {
	Name         string
	DeviceClass  string
	Selectors    []string
	Capacity     []Resource // shares asked for
	Mode         uint32
	Count        int64 // with AllocateExactCount
	Alternatives []DeviceRequest
}

// A DeviceConstraint of a claim: Requests are "request" or "request/alternative", none = all.
type DeviceConstraint struct {
	Requests       []string
	MatchAttribute string // "" = a constraint of another kind, which makes the claim unusable
}

// An AllocatedDevice of a claim's status.
type AllocatedDevice struct {
	Request     string
	Device      DeviceID
	HasConsumed bool // consumedCapacity is there
	Consumed    []Resource
}

// A ClaimConsumer is one of status.reservedFor.
type ClaimConsumer struct{ APIGroup, Resource, Name, UID string }

// A ResourceClaim.
type ResourceClaim struct {
	Meta        Meta
	Requests    []DeviceRequest
	Constraints []DeviceConstraint
	Allocated   bool // status.allocation is there; the next two are of it
	Results     []AllocatedDevice
	NodeTerms   []NodeTerm // where the devices are reachable
	ReservedFor []ClaimConsumer
}

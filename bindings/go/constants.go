// SPDX-License-Identifier: Apache-2.0

package karp

// Operators of requirements and selectors.
const (
	OpUnknown uint32 = iota
	OpIn
	OpNotIn
	OpExists
	OpDoesNotExist
	OpGt
	OpLt
	OpGte
	OpLte
)

// Operators of tolerations.
const (
	TolerationEqual uint32 = iota
	TolerationExists
	TolerationLt
	TolerationGt
	TolerationUnknown
)

// What a spread constraint does when it cannot be met, and its policies.
const (
	DoNotSchedule  uint32 = 0
	ScheduleAnyway uint32 = 1
	PolicyDefault  uint32 = 0
	PolicyHonor    uint32 = 1
	PolicyIgnore   uint32 = 2
)

// Kinds of volumes.
const (
	VolumeOther uint32 = iota
	VolumeClaim
	VolumeEphemeral
)

// Phases of pods.
const (
	PhaseUnset uint32 = iota
	PhasePending
	PhaseRunning
	PhaseSucceeded
	PhaseFailed
	PhaseUnknown
)

// Reasons of a disruption budget, ored.
const (
	ReasonUnderutilized uint32 = 1
	ReasonEmpty         uint32 = 2
	ReasonDrifted       uint32 = 4
	ReasonUnhealthy     uint32 = 8
)

// Consolidation policies.
const (
	WhenEmptyOrUnderutilized uint32 = iota
	WhenEmpty
	Balanced
)

// Phases of volume claims.
const (
	ClaimPhaseUnset uint32 = iota
	ClaimPending
	ClaimBound
	ClaimLost
)

// When volumes of a storage class are bound.
const (
	BindingUnset uint32 = iota
	BindingImmediate
	BindingWaitForFirstConsumer
)

// What lends its selector to default spread constraints.
const (
	SelectsService uint32 = iota
	SelectsReplicationController
	SelectsReplicaSet
	SelectsStatefulSet
)

// Kinds of attributes.
const (
	AttributeString uint32 = iota
	AttributeInt
	AttributeBool
	AttributeVersion
)

// How many devices a request is for.
const (
	AllocateExactCount uint32 = iota
	AllocateAll
)

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"strings"

	v1 "k8s.io/api/core/v1"

	karp "libkarp.dev/go"
	"libkarp.dev/go/document"
)

// What a node costs: by its type, zone and capacity type in a catalogue, else by its resources.

const (
	capacityTypeLabel = "karpenter.sh/capacity-type"
	onDemand          = "on-demand"
	spot              = "spot"
)

// An offer is a way to buy a node; zone "" stands for the cheapest one.
type offer struct{ instanceType, zone, capacityType string }

// A priceList is read once and never changed.
type priceList map[offer]float64

// A price with where it is from, for those who ask why.
type price struct {
	perHour float64
	source  string
}

// readPrices takes the prices of a catalogue file, or of the built-in one of a region; of neither, none.
func readPrices(file, region string) (priceList, error) {
	var catalogue *karp.Catalogue
	var err error
	switch {
	case file != "" && region != "":
		return nil, fmt.Errorf("prices are those of a catalogue file or of a region, not of both")
	case file != "":
		catalogue, err = document.CatalogueFile(file)
	case region != "":
		catalogue, err = document.BuiltinCatalogue(region)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer catalogue.Close()
	offerings, err := catalogue.Table(karp.TableOfferings)
	if err != nil {
		return nil, err
	}
	types, zones := offerings.Column("instance_type").Text, offerings.Column("zone").Text
	capacityTypes, prices := offerings.Column("capacity_type").Text, offerings.Column("price").Float64
	list := make(priceList, 2*offerings.Rows)
	for i, perHour := range prices {
		list.note(offer{types[i], zones[i], capacityTypes[i]}, perHour)
		list.note(offer{types[i], "", capacityTypes[i]}, perHour)
	}
	return list, nil
}

// note keeps the lowest price.
func (l priceList) note(o offer, perHour float64) {
	if known, ok := l[o]; !ok || perHour < known {
		l[o] = perHour
	}
}

// of is the price of a node like the template.
func (l priceList) of(template *v1.Node) price {
	o := offerOf(template)
	for _, wanted := range []offer{o, {o.instanceType, "", o.capacityType}} {
		if perHour, ok := l[wanted]; ok {
			return price{perHour, strings.TrimRight(fmt.Sprintf("%s %s %s", wanted.instanceType, wanted.capacityType, wanted.zone), " ")}
		}
	}
	return price{byResources(template.Status.Allocatable), "resources"}
}

// offerOf is what the template is an example of.
func offerOf(template *v1.Node) offer {
	return offer{firstLabel(template, v1.LabelInstanceTypeStable, v1.LabelInstanceType),
		firstLabel(template, v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone), capacityTypeOf(template)}
}

func firstLabel(node *v1.Node, keys ...string) string {
	for _, key := range keys {
		if value := node.Labels[key]; value != "" {
			return value
		}
	}
	return ""
}

// capacityTypeOf knows the clouds' own labels for nodes that may be taken away.
func capacityTypeOf(node *v1.Node) string {
	for key, value := range map[string]string{
		capacityTypeLabel:                       "spot",
		"eks.amazonaws.com/capacityType":        "SPOT",
		"cloud.google.com/gke-spot":             "true",
		"cloud.google.com/gke-preemptible":      "true",
		"kubernetes.azure.com/scalesetpriority": "spot",
	} {
		if node.Labels[key] == value {
			return spot
		}
	}
	return onDemand
}

// What resources cost per hour where nothing better is known, in the proportions of general-purpose machines of clouds.
const (
	perCore = 0.033
	perGiB  = 0.00375
	perGPU  = 1.0
)

func byResources(amounts v1.ResourceList) float64 {
	sum := perCore*amounts.Cpu().AsApproximateFloat64() + perGiB*amounts.Memory().AsApproximateFloat64()/(1<<30)
	gpus := int64(0)
	for name, amount := range amounts {
		if strings.HasSuffix(string(name), "/gpu") {
			gpus += amount.Value()
		}
	}
	return math.Round((sum+perGPU*float64(gpus))*1e6) / 1e6
}

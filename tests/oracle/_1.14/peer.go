// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	karpreqs "sigs.k8s.io/karpenter/pkg/scheduling"
)

func newCluster(w *world, p *provider) (*state.Cluster, error) {
	return state.NewCluster(w.clock, w.api, p), nil
}

func minValues(r *karpreqs.Requirement) *int { return r.MinValues }

func schedulerConfig(_ *options.Options, config json.RawMessage) error {
	if len(config) > 0 {
		return notCovered("default spread constraints: not in this version of Karpenter")
	}
	return nil
}

// This version does not ask a type for limits of volumes.
func limitVolumes(*cloudprovider.InstanceType, map[string]int) {}

func launchable(list cloudprovider.Offerings) cloudprovider.Offerings { return list.Available() }

// Nor does it give slots back.
func credits(map[string]int) []scheduling.Options { return nil }

// Its allocation of devices was changed so much since that the library follows only the version after it.
const devicesCovered = false

func allocatedDevices(w *world) *deviceallocation.Controller {
	return deviceallocation.NewController(w.api)
}

func bringDevices(*cloudprovider.InstanceType, *typeDevices) {}

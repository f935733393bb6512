// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	karpreqs "sigs.k8s.io/karpenter/pkg/scheduling"
)

func newCluster(w *world, p *provider) (*state.Cluster, error) {
	return state.NewCluster(w.clock, w.api, p), nil
}

func minValues(r *karpreqs.Requirement) *int { return r.MinValues() }

func limitVolumes(t *cloudprovider.InstanceType, limits map[string]int) {
	t.VolumeAttachmentLimits = limits
}

func schedulerConfig(o *options.Options, config json.RawMessage) (err error) {
	o.SchedulerConfig, err = options.ParseSchedulerConfiguration(string(config))
	return err
}

func launchable(list cloudprovider.Offerings) cloudprovider.Offerings { return list.Launchable() }

// credits are slots of reservations that are given back before the round.
func credits(slots map[string]int) []scheduling.Options {
	var out []scheduling.Options
	for id, n := range slots {
		out = append(out, scheduling.CreditReservationCapacity(id, n))
	}
	return out
}

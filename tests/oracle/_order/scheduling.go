// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"maps"
	"slices"

	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortedList(list []string) []string { return slices.Sorted(slices.Values(list)) }

// inCatalogueOrder gives groups by the place of their first type.
func inCatalogueOrder(groups map[string]*DaemonOverheadGroup, types []*cloudprovider.InstanceType) []*DaemonOverheadGroup {
	var out []*DaemonOverheadGroup
	for _, t := range types {
		for _, g := range groups {
			if g.InstanceTypes[0] == t {
				out = append(out, g)
			}
		}
	}
	return out
}

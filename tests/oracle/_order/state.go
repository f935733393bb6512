// SPDX-License-Identifier: Apache-2.0

package state

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// rangeByName calls f with the pods of a map by namespace and name.
func rangeByName(pods *sync.Map, f func(key, value any) bool) {
	var list []*corev1.Pod
	pods.Range(func(_, value any) bool {
		list = append(list, value.(*corev1.Pod))
		return true
	})
	slices.SortFunc(list, func(a, b *corev1.Pod) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	for _, pod := range list {
		if !f(nil, pod) {
			return
		}
	}
}

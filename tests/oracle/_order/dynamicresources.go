// SPDX-License-Identifier: Apache-2.0

package dynamicresources

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

func keysByName[T any](pools map[PoolKey]T) []PoolKey {
	return slices.SortedFunc(maps.Keys(pools), func(a, b PoolKey) int {
		return cmp.Or(strings.Compare(a.Driver.Value(), b.Driver.Value()), strings.Compare(a.Pool.Value(), b.Pool.Value()))
	})
}

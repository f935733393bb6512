/* SPDX-License-Identifier: Apache-2.0 */
#include <records/rows.h>
#include <records/tables.h>

#include <karp/inspect.h>

const record record_node_use = { SIZED(karp_node_use, pods_received),
                                 OPEN({ TEXT("node", karp_node_use, node), COLUMN },
                                      { TEXT("nodePool", karp_node_use, node_pool), WORDS_COLUMN },
                                      { TEXT("instanceType", karp_node_use, instance_type), WORDS_COLUMN },
                                      { TEXT("zone", karp_node_use, zone), WORDS_COLUMN },
                                      { TEXT("capacityType", karp_node_use, capacity_type), WORDS_COLUMN },
                                      { PRICE("price", karp_node_use, price), COLUMN },
                                      { REAL("cpuRequested", karp_node_use, cpu_requested), COLUMN },
                                      { REAL("cpuAllocatable", karp_node_use, cpu_allocatable), COLUMN },
                                      { REAL("memoryRequested", karp_node_use, memory_requested), COLUMN },
                                      { REAL("memoryAllocatable", karp_node_use, memory_allocatable), COLUMN },
                                      { FLAG("marked", karp_node_use, marked), COLUMN },
                                      { UINT32("podsReceived", karp_node_use, pods_received), COLUMN }) };

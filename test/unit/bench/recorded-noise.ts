// CPU in microseconds for a text, all processes, of sixteen rounds of 3 s at 200 a second, one after the other, while
// other programs kept 1.4 to 1.7 of the two cores busy: far more noise than on a machine of one's own.
export const loud = {
  gateway: [2863, 2638, 2613, 2225, 2000, 2475, 2425, 2013, 2213, 2225, 2488, 2163, 2100, 2013, 2025, 2138],
  floor: [1438, 1313, 1288, 1288, 1450, 1250, 1350, 1138, 1225, 1325, 1238, 1113, 1275, 1325, 1475, 1613],
} as const

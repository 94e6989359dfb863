// Student's t distribution, by the continued fraction of the incomplete beta function (Lentz's method).

function logGamma(x: number): number {
  // Lanczos, for x > 0: relative error below 1e-10.
  const terms = [76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155]
  const small = [0.1208650973866179e-2, -0.5395239384953e-5]
  const sum = [...terms, ...small].reduce(
    (total, term, index) => total + term / (x + index + 1),
    1.000000000190015,
  )
  return (x + 0.5) * Math.log(x + 5.5) - (x + 5.5) + Math.log((2.5066282746310007 * sum) / x)
}

function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 300; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    const before = result
    for (const term of [even, odd]) {
      d = 1 / away(1 + term * d)
      c = away(1 + term / c)
      result *= d * c
    }
    if (Math.abs(result - before) <= 1e-14 * Math.abs(result)) break
  }
  return result
}

/** The regularized incomplete beta function. */
function beta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)
  if (x < (a + 1) / (a + b + 2)) return (Math.exp(front) * fraction(x, a, b)) / a
  return 1 - (Math.exp(front) * fraction(1 - x, b, a)) / b
}

/** The chance that |t| is above this, with `df` degrees of freedom. */
const tail = (t: number, df: number): number => beta(df / (df + t * t), df / 2, 0.5)

/** The t that |t| exceeds with this chance: 2.228 for 0.05 and 10 degrees of freedom. */
export function criticalT(chance: number, df: number): number {
  let [low, high] = [0, 1]
  while (tail(high, df) > chance) high *= 2
  for (let step = 0; step < 48; step += 1) {
    const middle = (low + high) / 2
    if (tail(middle, df) > chance) low = middle
    else high = middle
  }
  return (low + high) / 2
}

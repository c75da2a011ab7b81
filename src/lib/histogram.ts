/** Counts values by range; `bounds` are the inclusive upper bounds of the ranges, ascending. */
export class Histogram {
  /** The number of values in each range, not cumulative; the last range is unbounded. */
  readonly counts: number[]
  sum = 0

  constructor(readonly bounds: readonly number[]) {
    this.counts = new Array(bounds.length + 1).fill(0)
  }

  add(value: number): void {
    let at = 0
    while (at < this.bounds.length && value > (this.bounds[at] ?? 0)) at++
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += value
  }
}

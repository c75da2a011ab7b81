/** The message to the worker. */
export interface LayoutRequest {
  readonly nodes: readonly string[]
  /** Pairs of indexes in `nodes`. */
  readonly edges: readonly (readonly [from: number, to: number])[]
}

/** The messages from the worker, several before the last: x and y of each node, in the order of `nodes`. */
export interface LayoutResponse {
  readonly positions: Float32Array<ArrayBuffer>
  readonly isDone: boolean
}

/** What the page sends to the worker. */
export interface LayoutRequest {
  readonly nodes: readonly string[]
  /** Pairs of places in `nodes`. */
  readonly edges: readonly (readonly [from: number, to: number])[]
}

/** What the worker sends back: x and y of each node in turn, some times while it goes on, and at last. */
export interface LayoutResponse {
  readonly positions: Float32Array<ArrayBuffer>
  readonly isDone: boolean
}

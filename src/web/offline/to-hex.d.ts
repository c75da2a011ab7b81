/** A web API that TypeScript does not declare yet. */
interface Uint8Array {
  toHex(): string
}

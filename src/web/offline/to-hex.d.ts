/** Of the platform; TypeScript does not know it yet. */
interface Uint8Array {
  toHex(): string
}

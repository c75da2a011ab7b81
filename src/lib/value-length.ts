/** The characters and bytes of an input's values, without its keys; stops counting above `most`. */
export function lengthOf(input: unknown, most: number): number {
  const rest = [input]
  let length = 0
  while (rest.length > 0 && length <= most) {
    const value = rest.pop()
    if (typeof value === 'string') length += value.length
    else if (value instanceof Uint8Array) length += value.byteLength
    else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) rest.push(each)
  }
  return length
}

/** `2 tags, 1 preset`: what there is none of is left out. */
export function countsInWords(counts: Readonly<Record<string, number>>): string {
  const words = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name.replaceAll(/[_-]/g, ' ')}`)
  return words.length === 0 ? 'nothing' : words.join(', ')
}

/** A title as a file may be called on any system. */
export function fileName(title: string): string {
  const name = title.slice(0, 120).replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '-')
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--
  return name.slice(0, end) || 'Note'
}

/** A name that no earlier file has, also where capitals do not count; a number comes before the extension. */
export function freeName(taken: Set<string>, name: string): string {
  const [, stem = name, extension = ''] = /^(.+)(\.[a-z0-9]{1,10})$/i.exec(name) ?? []
  let free = name
  for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${stem} ${count}${extension}`
  taken.add(free.toLowerCase())
  return free
}

/** A title as a file name that every operating system accepts. */
export function fileName(title: string): string {
  const name = title.slice(0, 120).replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '-')
  let end = name.length
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end--
  return name.slice(0, end) || 'Note'
}

/** An unused file name, compared without case; a number is added before the extension. */
export function freeName(taken: Set<string>, name: string): string {
  const [, stem = name, extension = ''] = /^(.+)(\.[a-z0-9]{1,10})$/i.exec(name) ?? []
  let free = name
  for (let count = 2; taken.has(free.toLowerCase()); count++) free = `${stem} ${count}${extension}`
  taken.add(free.toLowerCase())
  return free
}

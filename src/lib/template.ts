/* Texts of events with placeholders: names in braces. Any other brace is text. */

const HOLE = /\{([A-Za-z_]\w*(?:\.\w+)*)\}/g

export const placeholdersIn = (template: string): string[] =>
  [...template.matchAll(HOLE)].map(([, hole = '']) => hole)

/** Text beyond `most` characters may be omitted. */
export function filled(
  template: string,
  valueIn: (hole: string) => string,
  most = Number.POSITIVE_INFINITY,
): string {
  let text = ''
  let end = 0
  for (const {
    0: { length },
    1: hole = '',
    index,
  } of template.matchAll(HOLE)) {
    text += template.slice(end, index) + valueIn(hole)
    end = index + length
    if (text.length > most) return text
  }
  return text + template.slice(end)
}

const DEFAULTS = {
  record: '{structure}: {event}',
  note: '{event}: {note.title}',
  file: '{event}: {file.file_name}',
} as const

/** The default text of an event; `labelField` is the title field of the rows. */
export const defaultTemplate = (kind: keyof typeof DEFAULTS, labelField: string | null): string =>
  kind === 'record' && labelField !== null ? `${DEFAULTS.record}: {record.${labelField}}` : DEFAULTS[kind]

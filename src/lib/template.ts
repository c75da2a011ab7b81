/* Texts of events with placeholders: names in braces. Any other brace is text. */

const PLACEHOLDER = /\{([A-Za-z_]\w*(?:\.\w+)*)\}/g

export const placeholdersIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, placeholder = '']) => placeholder)

/** Text beyond `most` characters may be omitted. */
export function filled(
  template: string,
  valueIn: (placeholder: string) => string,
  most = Number.POSITIVE_INFINITY,
): string {
  let text = ''
  let end = 0
  for (const {
    0: { length },
    1: placeholder = '',
    index,
  } of template.matchAll(PLACEHOLDER)) {
    text += template.slice(end, index) + valueIn(placeholder)
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

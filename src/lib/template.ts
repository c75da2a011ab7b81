/* Texts of events with holes: a name in braces. Any other brace is text. */

const HOLE = /\{([A-Za-z_]\w*(?:\.\w+)*)\}/g

export const holesIn = (template: string): string[] =>
  [...template.matchAll(HOLE)].map(([, hole = '']) => hole)

export const filled = (template: string, valueIn: (hole: string) => string): string =>
  template.replace(HOLE, (_, hole: string) => valueIn(hole))

const DEFAULTS = {
  record: '{structure}: {event}',
  note: '{event}: {note.title}',
  file: '{event}: {file.file_name}',
} as const

/** The text of an event where a subscription has none of its own; `labelField` is the field that names the rows. */
export const defaultTemplate = (kind: keyof typeof DEFAULTS, labelField: string | null): string =>
  kind === 'record' && labelField !== null ? `${DEFAULTS.record}: {record.${labelField}}` : DEFAULTS[kind]

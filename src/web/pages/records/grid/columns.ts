import { preferences, preferTable, type TableChoices } from '../../../data/preferences.ts'
import type { Field } from '../../../data/records/model.ts'

type Widths = Readonly<Record<string, number>>

const DEFAULTS: Readonly<Record<Field['type'], number>> = {
  text: 200,
  number: 112,
  date: 124,
  time: 112,
  datetime: 184,
  bool: 80,
  select: 136,
  note: 184,
  file: 184,
  record: 184,
  formula: 136,
  user: 136,
  rollup: 112,
}

/** Minimum widths in pixels; a text column shows about eight characters. */
const MIN_PX = { text: 100, other: 64 }
const MAX_PX = 2000
/** More collapsed groups would not fit into the preferences; the oldest are forgotten. */
const MAX_COLLAPSED = 500

/** Column settings of a table or view: the user's own, else the view's, else the defaults. */
export class Columns {
  constructor(
    /** The id of the view, or of the structure. */
    private readonly key: string,
    private readonly saved: Widths,
  ) {}

  get #preferences(): TableChoices {
    return preferences.value.tables?.[this.key] ?? {}
  }

  widthOf({ key, type }: Field): number {
    return this.#preferences.widths?.[key] ?? this.saved[key] ?? DEFAULTS[type]
  }

  /** Widths that differ from the defaults. */
  get widths(): Widths {
    return { ...this.saved, ...this.#preferences.widths }
  }

  /** Widths in pixels. Spare room is shared by the columns with default widths. */
  widthsIn(fields: readonly Field[], roomPx: number): readonly number[] {
    const isDefault = ({ key }: Field) => this.widths[key] === undefined
    const sumOf = (group: readonly Field[]) => group.reduce((sum, field) => sum + this.widthOf(field), 0)
    const share = Math.max(0, roomPx - sumOf(fields)) / sumOf(fields.filter(isDefault))
    return fields.map((field) => Math.floor(this.widthOf(field) * (isDefault(field) ? 1 + share : 1)))
  }

  setWidth({ key, type }: Field, px: number): void {
    const min = type === 'text' ? MIN_PX.text : MIN_PX.other
    const width = Math.round(Math.min(MAX_PX, Math.max(min, px)))
    preferTable(this.key, { widths: { ...this.#preferences.widths, [key]: width } })
  }

  /** Resets a column to the width of the view, else the default. */
  resetWidth({ key }: Field): void {
    const { [key]: _, ...widths } = this.#preferences.widths ?? {}
    preferTable(this.key, { widths })
  }

  /** Number of columns that stay in place while the others scroll. */
  get frozen(): number {
    return this.#preferences.frozen ?? 1
  }

  freeze(count: number): void {
    preferTable(this.key, { frozen: count })
  }

  /** The summary the user selected for a field. */
  summaryOf({ key }: Field): string | undefined {
    return this.#preferences.figures?.[key]
  }

  setSummary({ key }: Field, summary: string): void {
    preferTable(this.key, { figures: { ...this.#preferences.figures, [key]: summary } })
  }

  /** Keys of the collapsed groups. */
  get collapsed(): readonly string[] {
    return this.#preferences.folded ?? []
  }

  collapse(folded: readonly string[]): void {
    preferTable(this.key, { folded: folded.slice(-MAX_COLLAPSED) })
  }
}

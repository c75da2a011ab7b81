import { preferences, preferTable, type TableChoices } from '../../../data/preferences.ts'
import type { Field } from '../model.ts'

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
}

/** No column is narrower, and of text it shows some eight characters. */
const LEAST = { text: 100, other: 64 }
const MOST = 2000

/** How the columns of a table or a view of it are shown: as the person chose, else as the view says, else as usual. */
export class Columns {
  constructor(
    /** The id of the view, or of the structure. */
    private readonly place: string,
    private readonly saved: Widths,
  ) {}

  get #own(): TableChoices {
    return preferences.value.tables?.[this.place] ?? {}
  }

  widthOf({ key, type }: Field): number {
    return this.#own.widths?.[key] ?? this.saved[key] ?? DEFAULTS[type]
  }

  /** Those that are other than usual. */
  get widths(): Widths {
    return { ...this.saved, ...this.#own.widths }
  }

  /** The widths in pixels: where there is more room than they need, columns of their usual width share it. */
  widthsIn(fields: readonly Field[], roomPx: number): readonly number[] {
    const isUsual = ({ key }: Field) => this.widths[key] === undefined
    const sumOf = (some: readonly Field[]) => some.reduce((sum, field) => sum + this.widthOf(field), 0)
    const share = Math.max(0, roomPx - sumOf(fields)) / sumOf(fields.filter(isUsual))
    return fields.map((field) => Math.floor(this.widthOf(field) * (isUsual(field) ? 1 + share : 1)))
  }

  setWidth({ key, type }: Field, px: number): void {
    const least = type === 'text' ? LEAST.text : LEAST.other
    const width = Math.round(Math.min(MOST, Math.max(least, px)))
    preferTable(this.place, { widths: { ...this.#own.widths, [key]: width } })
  }

  /** Gives the column the width that it has by itself. */
  resetWidth({ key }: Field): void {
    const { [key]: _, ...widths } = this.#own.widths ?? {}
    preferTable(this.place, { widths })
  }

  /** How many columns stay in sight while the others scroll. */
  get frozen(): number {
    return this.#own.frozen ?? 1
  }

  freeze(count: number): void {
    preferTable(this.place, { frozen: count })
  }

  /** What the foot says of a field, if the person chose. */
  figureOf({ key }: Field): string | undefined {
    return this.#own.figures?.[key]
  }

  chooseFigure({ key }: Field, figure: string): void {
    preferTable(this.place, { figures: { ...this.#own.figures, [key]: figure } })
  }

  /** The values of the groups that are folded. */
  get folded(): readonly string[] {
    return this.#own.folded ?? []
  }

  fold(folded: readonly string[]): void {
    preferTable(this.place, { folded })
  }
}

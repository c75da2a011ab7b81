import { signal } from '@preact/signals'
import { whose } from '../../../data/whose.ts'
import type { Field } from '../model.ts'

/** What a person chose for the columns of a structure, in pixels by the key of the field. */
type Widths = Readonly<Record<string, number>>

const DEFAULTS: Readonly<Record<Field['type'], number>> = {
  text: 200,
  number: 112,
  date: 112,
  time: 112,
  datetime: 168,
  bool: 80,
  select: 136,
  note: 184,
  file: 184,
  record: 184,
}

/** No column is narrower, and of text it shows some eight characters. */
const LEAST = { text: 100, other: 64 }
const MOST = 2000

const stored = (structure: string) => `columns ${whose.peek()} ${structure}`

function read(structure: string): Widths {
  try {
    return JSON.parse(localStorage.getItem(stored(structure)) ?? '{}')
  } catch {
    return {}
  }
}

/** How wide the columns of a structure are for this person, kept in this browser. */
export class ColumnWidths {
  readonly #chosen = signal<Widths>({})
  readonly #saved = signal<Widths>({})

  constructor(private readonly structure: string) {
    this.#chosen.value = read(structure)
  }

  of({ key, type }: Field): number {
    return this.#chosen.value[key] ?? this.#saved.value[key] ?? DEFAULTS[type]
  }

  /** Those of the columns that have another width than the usual one. */
  get chosen(): Widths {
    return { ...this.#saved.value, ...this.#chosen.value }
  }

  /** The widths that the view has which is shown; what the person chose goes before them. */
  showSaved(saved: Widths): void {
    if (JSON.stringify(saved) !== JSON.stringify(this.#saved.peek())) this.#saved.value = saved
  }

  sum(fields: readonly Field[]): number {
    return fields.reduce((sum, field) => sum + this.of(field), 0)
  }

  set({ key, type }: Field, px: number): void {
    const least = type === 'text' ? LEAST.text : LEAST.other
    this.#chosen.value = { ...this.#chosen.peek(), [key]: Math.round(Math.min(MOST, Math.max(least, px))) }
    try {
      localStorage.setItem(stored(this.structure), JSON.stringify(this.#chosen.peek()))
    } catch {
      // A full or closed storage keeps the widths until the page is left.
    }
  }

  /** Gives the column the width that it has by itself. */
  reset({ key }: Field): void {
    const { [key]: _, ...others } = this.#chosen.peek()
    this.#chosen.value = others
    localStorage.setItem(stored(this.structure), JSON.stringify(others))
  }
}

const known = new Map<string, ColumnWidths>()

/** The widths of the columns of a structure, for this person. */
export function columnWidths(structure: string): ColumnWidths {
  const name = stored(structure)
  const widths = known.get(name) ?? new ColumnWidths(structure)
  known.set(name, widths)
  return widths
}

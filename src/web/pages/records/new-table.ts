import { signal } from '@preact/signals'

/** The id of the table that was just created empty: its grid begins with a row to type. */
export const newTable = signal<string | undefined>(undefined)

import { useState } from 'preact/hooks'

let count = 0

/** An ID that is unique in the page. Preact's hook repeats its IDs in every root, and `ask` renders a root of its own. */
export const useId = (): string => useState(() => `id-${++count}`)[0]

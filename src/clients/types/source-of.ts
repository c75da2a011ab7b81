import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The source text of a module of this folder. Called while the program is built, because a bundle cannot import a
 * module both as code and as text.
 */
export const sourceOf = (name: string): string => readFileSync(join(import.meta.dir, name), 'utf8')

/** A note by its aliases. */
export interface Aliased {
  readonly alias: string | null
  /** Further aliases; absent until some are given. */
  readonly aliases?: readonly string[]
}

/** All aliases of a note: its `alias` first, then the further ones. */
export const aliasesOf = ({ alias, aliases = [] }: Aliased): readonly string[] =>
  alias === null ? aliases : [alias, ...aliases]

interface NamedTag {
  readonly name: string
  readonly note_count: number
}

/** A tag in the tag tree. `a/b` is below `a`, even if no tag `a` exists. */
export interface TagBranch {
  /** The last segment of its name. */
  readonly label: string
  readonly name: string
  /** Undefined if no tag has this name. */
  readonly noteCount: number | undefined
  readonly branches: readonly TagBranch[]
}

/** The tags as a tree, in order of name. */
export function treeOf(tags: readonly NamedTag[], prefix = ''): TagBranch[] {
  const labelOf = ({ name }: NamedTag) => name.slice(prefix.length).split('/')[0] ?? ''
  return [...Map.groupBy(tags, labelOf)].map(([label, within]) => {
    const name = prefix + label
    return {
      label,
      name,
      noteCount: within.find((tag) => tag.name === name)?.note_count,
      branches: treeOf(
        within.filter((tag) => tag.name.startsWith(`${name}/`)),
        `${name}/`,
      ),
    }
  })
}

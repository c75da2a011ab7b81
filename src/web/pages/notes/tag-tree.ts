interface NamedTag {
  readonly name: string
  readonly note_count: number
}

/** A tag in the tree of tags; `a/b` is below `a`, whether or not there is a tag `a`. */
export interface TagBranch {
  /** The last part of its name. */
  readonly label: string
  readonly name: string
  /** Undefined where no tag has this name. */
  readonly notes: number | undefined
  readonly branches: readonly TagBranch[]
}

/** The tags as a tree, in the order of their names. */
export function treeOf(tags: readonly NamedTag[], above = ''): TagBranch[] {
  const labelOf = ({ name }: NamedTag) => name.slice(above.length).split('/')[0] ?? ''
  return [...Map.groupBy(tags, labelOf)].map(([label, within]) => {
    const name = above + label
    return {
      label,
      name,
      notes: within.find((tag) => tag.name === name)?.note_count,
      branches: treeOf(
        within.filter((tag) => tag.name.startsWith(`${name}/`)),
        `${name}/`,
      ),
    }
  })
}

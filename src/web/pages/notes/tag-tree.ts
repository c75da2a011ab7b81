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

/** Whether a tag is another one or below it. */
export const isBelow = (name: string, parent: string): boolean =>
  name === parent || name.startsWith(`${parent}/`)

/**
 * The new names of a tag and of those below it when it is moved below another one, or to the top level for an empty
 * name; undefined if it is there already or would be below itself.
 */
export function movedNames(
  names: readonly string[],
  moved: string,
  parent: string,
): ReadonlyMap<string, string> | undefined {
  const label = moved.slice(moved.lastIndexOf('/') + 1)
  const name = parent === '' ? label : `${parent}/${label}`
  if (name === moved || isBelow(parent, moved)) return undefined
  const below = names.filter((other) => isBelow(other, moved))
  return new Map(below.map((other) => [other, name + other.slice(moved.length)]))
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

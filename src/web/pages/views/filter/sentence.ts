import { describeTree } from '../../../../filter/sentence.ts'
import type { Definitions, Tree } from './tree.ts'

/** The filter as a sentence, as the server describes saved filters. */
export const sentenceOf = (tree: Tree | null, { tags, properties }: Definitions): string =>
  describeTree(tree, {
    tag: (id) => tags.find((tag) => tag.id === id),
    property: (id) => properties.find((property) => property.id === id) ?? { key: 'a deleted property' },
  })

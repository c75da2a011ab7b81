import type { TagStyle } from '@codemirror/language'
import { tags } from '@lezer/highlight'

/** Classes of code tokens, for the editor and the preview. */
export const codeStyles: readonly TagStyle[] = [
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.tagName], class: 'code-keyword' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], class: 'code-string' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape], class: 'code-value' },
  { tag: [tags.comment, tags.meta, tags.documentMeta], class: 'code-comment' },
  {
    tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.standard(tags.name)],
    class: 'code-name',
  },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.attributeName], class: 'code-type' },
  { tag: tags.propertyName, class: 'code-property' },
  { tag: [tags.deleted, tags.invalid], class: 'code-deleted' },
]

import { t } from 'elysia'
import { quoteList } from '../../lib/text.ts'
import { id, strict } from './types.ts'

/** What names an object by id, so that the object cannot go while it does. */
export interface UsedBy {
  id: string
  name: string
}

export const usedBy = () => strict({ id: id(), name: t.String({ examples: ['Open work'] }) })

const ONE_OF = { views: 'view', presets: 'preset', lenses: 'lens' } as const
type Kind = keyof typeof ONE_OF

/** In words: `the views "Due" and "Open" and the preset "Meeting"`; empty when there are none. */
export function usageInWords(use: { readonly [kind in Kind]?: readonly UsedBy[] }): string {
  const named = (Object.keys(ONE_OF) as Kind[]).flatMap((kind) => {
    const names = use[kind]?.map(({ name }) => name) ?? []
    return names.length === 0 ? [] : [`the ${names.length === 1 ? ONE_OF[kind] : kind} ${quoteList(names)}`]
  })
  return named.join(' and ')
}

import { useEffect, useState } from 'preact/hooks'
import { fold } from '../../../../lib/text.ts'
import { api } from '../../../data/api.ts'
import type { Structure } from '../../../data/records/model.ts'
import { useStructures } from '../../../data/records/structures.ts'
import { Refused } from '../../../data/request.ts'
import { useQuery } from '../../../data/use-query.ts'
import { bodyOf, type Draft } from './draft.ts'

const TYPING_MS = 300

/** True if the structure has or had rows, including deleted ones: its fields are then fixed. */
export function useHadRows(structure: Structure | undefined): boolean {
  const isEmpty = structure?.record_count === 0
  const { data } = useQuery(
    ['record', 'deleted', structure?.id, 'count'],
    async ({ signal }) => {
      const query = { structure: structure?.id ?? '', deleted: true, limit: 1 }
      return (await api.get('/v1/records', { query, signal })).total
    },
    { enabled: isEmpty },
  )
  return structure !== undefined && (!isEmpty || (data ?? 0) > 0)
}

/** The errors the server would return for the draft, from a dry run after each pause in typing. */
export function useRefusals(structure: Structure | undefined, draft: Draft): readonly string[] {
  const [found, setFound] = useState<readonly string[]>([])
  const { data: structures = [] } = useStructures()
  useEffect(() => {
    const controller = new AbortController()
    const timer = setTimeout(() => {
      if (structure) refusalsOf(structure, draft, controller.signal).then(setFound, () => {})
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [structure, draft])
  if (structure) return found
  const taken = structures.find(({ name }) => fold(name) === fold(draft.name.trim()))
  return taken ? [`A table named “${taken.name}” already exists. Choose another name.`] : []
}

async function refusalsOf(structure: Structure, draft: Draft, signal: AbortSignal): Promise<string[]> {
  const body = bodyOf(draft)
  // A newly added field has no key yet.
  const fields = body.fields.filter(({ key }) => key !== '')
  const params = { nameOrId: structure.id }
  try {
    const { refusals = [] } = await api.patch('/v1/records/structures/{nameOrId}', {
      params,
      body: { ...body, fields, dry_run: true },
      signal,
    })
    return refusals.map(({ error }) => error)
  } catch (error) {
    if (error instanceof Refused) return [error.message]
    throw error
  }
}

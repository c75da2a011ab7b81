import { api } from '../../data/api.ts'
import type { ShareKind } from '../../data/shares.ts'
import { useQuery } from '../../data/use-query.ts'

/** A view or form that can be shared. Notes are not listed here. */
export interface Target {
  readonly kind: ShareKind
  readonly id: string
  readonly name: string
  /** The address of its screen in the application. */
  readonly path: readonly string[]
  /** The fields that its form can contain. */
  readonly fields?: readonly FormField[]
}

export interface FormField {
  readonly key: string
  readonly label: string
  readonly required: boolean
}

interface Field extends FormField {
  readonly type: string
  readonly hidden: boolean
}

/** The fields that a form can contain: without links, because public pages list no notes or rows to choose from. */
export const formFieldsOf = (fields: readonly Field[]): FormField[] =>
  fields.filter(({ type, hidden }) => !hidden && type !== 'note' && type !== 'record')

/** All forms, table views and views that can be shared. */
export const useTargets = () =>
  useQuery(['view structure row_view', 'shared'], async ({ signal }) => {
    const [{ views }, { structures }, { row_views }] = await Promise.all([
      api.get('/v1/views', { signal }),
      api.get('/v1/records/structures', { signal }),
      api.get('/v1/records/views', { signal }),
    ])
    const nameOf = new Map(structures.map(({ id, name }) => [id, name]))
    const forms = structures.map(({ id, name, fields }): Target => {
      const formFields = formFieldsOf(fields)
      return { kind: 'form', id, name, path: ['records', id], fields: formFields }
    })
    const ofRows = row_views
      .filter(({ personal }) => !personal)
      .map(({ id, name, structure_id }): Target => {
        const structure = nameOf.get(structure_id) ?? ''
        return { kind: 'row_view', id, name: `${structure}: ${name}`, path: ['records', structure_id] }
      })
    const ofNotes = views.map(
      ({ id, name }): Target => ({ kind: 'view', id, name, path: ['views', 'views', id] }),
    )
    return [...forms, ...ofRows, ...ofNotes]
  })

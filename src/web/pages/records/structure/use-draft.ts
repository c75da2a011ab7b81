import { type Signal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { Structure } from '../../../data/records/model.ts'
import { bodyOf, type Draft, draftOf } from './draft.ts'

const textOf = (draft: Draft): string => JSON.stringify(bodyOf(draft))

interface EditedDraft {
  readonly draft: Signal<Draft>
  /** True if someone else changed the structure since the draft was started; saving would overwrite it. */
  readonly isBehind: boolean
  /** Discards the draft and starts over from a structure. */
  readonly resetTo: (structure: Structure | undefined) => void
}

/** The draft of a structure. Until the first edit it follows changes by others. */
export function useDraft(structure: Structure | undefined): EditedDraft {
  const draft = useSignal<Draft>(draftOf(structure))
  const base = useSignal(textOf(draft.value))
  const current = textOf(draftOf(structure))
  const isBehind = structure !== undefined && current !== base.value
  const resetTo = (from: Structure | undefined) => {
    draft.value = draftOf(from)
    base.value = textOf(draft.value)
  }
  useLayoutEffect(() => {
    if (isBehind && textOf(draft.peek()) === base.peek()) resetTo(structure)
  }, [current])
  return { draft, isBehind, resetTo }
}

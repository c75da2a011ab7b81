import { type Signal, useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { Structure } from '../model.ts'
import { bodyOf, type Draft, draftOf } from './draft.ts'

const textOf = (draft: Draft): string => JSON.stringify(bodyOf(draft))

interface EditedDraft {
  readonly draft: Signal<Draft>
  /** Whether somebody else changed the structure since the draft was begun: saving would write over that. */
  readonly isBehind: boolean
  /** Begins again with the structure as it is. */
  readonly takeOver: (structure: Structure | undefined) => void
}

/** A structure while it is edited; as long as nothing was typed, it follows what others make of it. */
export function useDraft(structure: Structure | undefined): EditedDraft {
  const draft = useSignal<Draft>(draftOf(structure))
  const begun = useSignal(textOf(draft.value))
  const present = textOf(draftOf(structure))
  const isBehind = structure !== undefined && present !== begun.value
  const takeOver = (from: Structure | undefined) => {
    draft.value = draftOf(from)
    begun.value = textOf(draft.value)
  }
  useLayoutEffect(() => {
    if (isBehind && textOf(draft.peek()) === begun.peek()) takeOver(structure)
  }, [present])
  return { draft, isBehind, takeOver }
}

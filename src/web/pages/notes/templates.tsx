import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { createNoteFrom, PRESETS } from '../../data/presets.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { useQuery } from '../../data/use-query.ts'

const MAX_SHOWN = 4

/** Buttons that create a note from a preset with text. */
export function Templates() {
  const { data } = useQuery(PRESETS.queryKey, PRESETS.queryFn)
  const { run, isRunning, refusal } = useAction(createNoteFrom)
  const templates = data?.presets.filter(({ content }) => content !== undefined) ?? []
  if (templates.length === 0 || !mayWriteNotes.value) return null
  return (
    <div class="tools">
      <span class="dim">Start from</span>
      {templates.slice(0, MAX_SHOWN).map(({ id, name }) => (
        <Button key={id} disabled={isRunning.value} onClick={() => void run(id, name)}>
          {name}
        </Button>
      ))}
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </div>
  )
}

import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Button, type useAction } from '../../components/form.tsx'

/** The submit action of a one-line form. The fields are cleared when it succeeds. */
export type FormAction = ReturnType<typeof useAction<[data: FormData]>>

interface LineFormProps {
  readonly action: FormAction
  /** Label of the button. */
  readonly submit: string
  readonly kind?: 'main'
  readonly children: ComponentChildren
}

/** A one-line form. */
export function LineForm({ action: { run, isRunning }, submit, kind, children }: LineFormProps) {
  const form = useRef<HTMLFormElement>(null)
  return (
    <form
      class="line-form"
      ref={form}
      onSubmit={async (event) => {
        event.preventDefault()
        if (await run(new FormData(event.currentTarget))) form.current?.reset()
      }}
    >
      {children}
      <Button {...(kind && { kind })} type="submit" disabled={isRunning.value}>
        {submit}
      </Button>
    </form>
  )
}

export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim()

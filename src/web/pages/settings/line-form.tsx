import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Button, type useAction } from '../../components/form.tsx'

/** What a form of one line does with its fields; the fields are emptied when it is done. */
export type FormAction = ReturnType<typeof useAction<[data: FormData]>>

interface LineFormProps {
  readonly action: FormAction
  /** The word on its button. */
  readonly submit: string
  readonly kind?: 'main'
  readonly children: ComponentChildren
}

/** A form of one line that makes something. */
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

/** The text in a field. */
export const textOf = (data: FormData, name: string): string => String(data.get(name) ?? '').trim()

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { fold } from '../../../../lib/text.ts'
import { Button, ErrorText, Field as FieldInput, useAction } from '../../../components/form.tsx'
import { lazy } from '../../../components/lazy.tsx'
import { api } from '../../../data/api.ts'
import { refetch } from '../../../data/cache.ts'
import { useStructures } from '../../../data/records/structures.ts'
import { address, navigate } from '../../../router.ts'
import { newTable } from '../new-table.ts'

const FromCsv = lazy(async () => (await import('./from-csv.tsx')).FromCsv)

/** `Untitled`, or with the first free number. */
function freeName(names: readonly string[]): string {
  const taken = new Set(names.map(fold))
  let name = 'Untitled'
  for (let number = 2; taken.has(fold(name)); number++) name = `Untitled ${number}`
  return name
}

/** Creates a table: an empty grid, whose fields are added at its head, or one from a CSV file; or with all settings. */
export function NewTable({ children }: { readonly children: ComponentChildren }) {
  const isCsvOpen = useSignal(false)
  const isAdvanced = useSignal(false)
  if (isAdvanced.value) return <>{children}</>
  return (
    <>
      {!isCsvOpen.value && (
        <section class="setting">
          <header>
            <h2>Empty table</h2>
            <p>Add fields at the head of the table as you need them.</p>
          </header>
          <div>
            <EmptyTable />
            <p>
              <Button kind="quiet" onClick={() => (isAdvanced.value = true)}>
                Set up fields and rules first
              </Button>
            </p>
          </div>
        </section>
      )}
      <section class={isCsvOpen.value ? 'setting whole' : 'setting'}>
        <header>
          <h2>From a CSV file</h2>
          <p>The first line must hold the column names. You can check the types first.</p>
        </header>
        <FromCsv onOpen={(isOpen) => (isCsvOpen.value = isOpen)} />
      </section>
    </>
  )
}

function EmptyTable() {
  const { data: structures } = useStructures()
  const input = useRef<HTMLFormElement>(null)
  const typed = useSignal<string | undefined>(undefined)
  const name = typed.value ?? freeName((structures ?? []).map((structure) => structure.name))
  const create = useAction(async () => {
    const { structure } = await api.post('/v1/records/structures', {
      body: {
        name: name.trim(),
        fields: [{ key: 'name', type: 'text', label: 'Name' }],
        label_field: 'name',
      },
    })
    await refetch({ queryKey: ['structure record', 'structures'] })
    newTable.value = structure.id
    navigate(address(['records', structure.id]))
  })
  const isKnown = structures !== undefined
  useLayoutEffect(() => {
    if (typed.peek() !== undefined) return
    const field = input.current?.querySelector('input')
    field?.focus()
    field?.select()
  }, [isKnown])
  return (
    <form
      class="line-form"
      ref={input}
      onSubmit={(event) => {
        event.preventDefault()
        void create.run()
      }}
    >
      <FieldInput
        label="Name"
        name="new-name"
        required
        maxLength={500}
        value={name}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
      <Button kind="main" type="submit" disabled={create.isRunning.value}>
        Create table
      </Button>
      {create.refusal.value !== undefined && <ErrorText>{create.refusal.value}</ErrorText>}
    </form>
  )
}

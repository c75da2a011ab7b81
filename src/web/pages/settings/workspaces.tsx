import { useState } from 'preact/hooks'
import { Button, ErrorText, Field, useAction } from '../../components/form.tsx'
import { goToWorkspace } from '../../components/leaving.ts'
import { QueryResult } from '../../components/pane.tsx'
import { refreshSession, session, type Workspace } from '../../data/session.ts'
import { createWorkspace, renameWorkspace, useWorkspaces } from '../../data/settings.ts'
import { LineForm, textOf } from './line-form.tsx'
import { Section } from './section.tsx'

export function Workspaces() {
  const workspaces = useWorkspaces()
  const mayCreate = workspaces.data?.some(({ role }) => role === 'owner') ?? false
  return (
    <Section
      name="workspaces"
      title="Workspaces"
      about="Each workspace has its own notes, tables, keys and members."
    >
      <QueryResult query={workspaces}>
        {(known) => (
          <ul class="plain">
            {known.map((workspace) => (
              <Row key={workspace.id} workspace={workspace} />
            ))}
          </ul>
        )}
      </QueryResult>
      {mayCreate && <NewWorkspace />}
    </Section>
  )
}

function Row({ workspace }: { workspace: Workspace }) {
  const [isRenamed, setRenamed] = useState(false)
  const opening = useAction(goToWorkspace)
  const isCurrent = workspace.id === session.value?.workspace.id
  const close = () => setRenamed(false)
  if (isRenamed)
    return (
      <li>
        <Rename workspace={workspace} onClose={close} />
      </li>
    )
  return (
    <li>
      <span class="grow">{isCurrent ? <strong>{workspace.name} (current)</strong> : workspace.name}</span>
      <small>{workspace.role}</small>
      {workspace.role === 'owner' && (
        <Button kind="quiet" aria-label={`Rename ${workspace.name}`} onClick={() => setRenamed(true)}>
          Rename
        </Button>
      )}
      {!isCurrent && (
        <Button
          kind="quiet"
          aria-label={`Open ${workspace.name}`}
          onClick={() => void opening.run(workspace.id)}
        >
          Open
        </Button>
      )}
      {opening.refusal.value !== undefined && <ErrorText>{opening.refusal.value}</ErrorText>}
    </li>
  )
}

function Rename({ workspace: { id, name }, onClose }: { workspace: Workspace; onClose: () => void }) {
  const { run, isRunning, refusal } = useAction(async (data: FormData) => {
    await renameWorkspace(id, textOf(data, 'name'))
    await refreshSession()
    onClose()
  })
  return (
    <form
      class="line-form grow"
      onSubmit={(event) => {
        event.preventDefault()
        void run(new FormData(event.currentTarget))
      }}
    >
      <Field
        label={`New name for ${name}`}
        name="name"
        defaultValue={name}
        required
        autofocus
        maxLength={200}
        error={refusal.value}
      />
      <Button kind="main" type="submit" disabled={isRunning.value}>
        Rename
      </Button>
      <Button onClick={onClose}>Cancel</Button>
    </form>
  )
}

function NewWorkspace() {
  const action = useAction(async (data: FormData) => {
    await createWorkspace(textOf(data, 'name'))
    await refreshSession()
  })
  return (
    <LineForm action={action} submit="Create workspace">
      <Field
        label="New workspace’s name"
        name="name"
        required
        maxLength={200}
        autocomplete="off"
        error={action.refusal.value}
      />
    </LineForm>
  )
}

import { type Signal, useSignal } from '@preact/signals'
import { Button, ErrorText, Field } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { newCallKey } from '../../data/api.ts'
import type { Webhook } from '../../data/webhooks.ts'

const MAX_HEADERS = 10

/** A custom header while it is edited. */
export interface HeaderInput {
  readonly id: string
  readonly name: string
  readonly value: string
}

/** Undefined leaves the stored headers unchanged. */
export type HeaderInputs = Signal<readonly HeaderInput[] | undefined>

export const newHeader = (): HeaderInput => ({ id: newCallKey(), name: '', value: '' })

/** A new webhook starts without headers; those of an existing one stay until they are replaced. */
export const useHeaders = (webhook: Webhook | undefined): HeaderInputs =>
  useSignal(webhook?.headers ? undefined : [])

/** The headers by name, without blank lines. */
export function headersOf(inputs: readonly HeaderInput[] | undefined): Record<string, string> | undefined {
  const given = inputs?.filter(({ name, value }) => name.trim() !== '' || value !== '')
  return given && Object.fromEntries(given.map(({ name, value }) => [name.trim(), value]))
}

interface CustomHeadersProps {
  readonly webhook: Webhook | undefined
  readonly inputs: HeaderInputs
  readonly error: string | undefined
}

/** Edits custom headers. Stored values are never shown, so all headers are replaced together. */
export function CustomHeaders({ webhook, inputs, error }: CustomHeadersProps) {
  const given = inputs.value
  const change = (id: string, part: Partial<HeaderInput>) => {
    inputs.value = given?.map((header) => (header.id === id ? { ...header, ...part } : header))
  }
  return (
    <fieldset class="field">
      <legend class="label">Custom headers sent with each delivery, such as Authorization</legend>
      {given === undefined ? (
        <p class="actions">
          <span class="code">{Object.keys(webhook?.headers ?? {}).join(', ')}</span>
          <Button
            onClick={() => {
              inputs.value = [newHeader()]
            }}
          >
            Replace headers
          </Button>
          <Button
            onClick={() => {
              inputs.value = []
            }}
          >
            Remove all
          </Button>
        </p>
      ) : (
        <>
          {given.map(({ id, name, value }, index) => (
            <div class="own-header" key={id}>
              <Field
                label={`Header ${index + 1}, name`}
                name="header-name"
                autocomplete="off"
                value={name}
                onInput={({ currentTarget }) => change(id, { name: currentTarget.value })}
              />
              <Field
                label={`Header ${index + 1}, value`}
                name="header-value"
                autocomplete="off"
                value={value}
                onInput={({ currentTarget }) => change(id, { value: currentTarget.value })}
              />
              <Button
                aria-label={`Remove header ${index + 1}`}
                onClick={() => {
                  inputs.value = given.filter((header) => header.id !== id)
                }}
              >
                Remove
              </Button>
            </div>
          ))}
          {given.length < MAX_HEADERS && (
            <p class="actions">
              <Button
                onClick={() => {
                  inputs.value = [...given, newHeader()]
                }}
              >
                <Icon name="plus" />
                Add header
              </Button>
              {webhook?.headers && (
                <Button
                  kind="quiet"
                  onClick={() => {
                    inputs.value = undefined
                  }}
                >
                  Keep current headers
                </Button>
              )}
            </p>
          )}
        </>
      )}
      {error && <ErrorText>{error}</ErrorText>}
    </fieldset>
  )
}

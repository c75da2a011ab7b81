import { type Signal, useSignal } from '@preact/signals'
import { Button, ErrorText, Field } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { newCallKey } from '../../data/api.ts'
import type { Webhook } from '../../data/webhooks.ts'

const MOST = 10

/** A header of the subscriber's own, as it is typed. */
export interface HeaderInput {
  readonly id: string
  readonly name: string
  readonly value: string
}

/** Undefined leaves the headers of the subscription as they are. */
export type HeaderInputs = Signal<readonly HeaderInput[] | undefined>

export const newHeader = (): HeaderInput => ({ id: newCallKey(), name: '', value: '' })

/** A new subscription begins without headers; those of another one stay unless they are given again. */
export const useHeaders = (webhook: Webhook | undefined): HeaderInputs =>
  useSignal(webhook?.headers ? undefined : [])

/** The headers by name; a line without a name and a value is none. */
export function headersOf(inputs: readonly HeaderInput[] | undefined): Record<string, string> | undefined {
  const given = inputs?.filter(({ name, value }) => name.trim() !== '' || value !== '')
  return given && Object.fromEntries(given.map(({ name, value }) => [name.trim(), value]))
}

interface OwnHeadersProps {
  readonly webhook: Webhook | undefined
  readonly inputs: HeaderInputs
  readonly error: string | undefined
}

/** Headers that go with each delivery; their values are never shown again, so they are all replaced together. */
export function OwnHeaders({ webhook, inputs, error }: OwnHeadersProps) {
  const given = inputs.value
  const change = (id: string, part: Partial<HeaderInput>) => {
    inputs.value = given?.map((one) => (one.id === id ? { ...one, ...part } : one))
  }
  return (
    <fieldset class="field">
      <legend class="label">Headers of your own, such as Authorization, sent with each delivery</legend>
      {given === undefined ? (
        <p class="actions">
          <span class="code">{Object.keys(webhook?.headers ?? {}).join(', ')}</span>
          <Button
            onClick={() => {
              inputs.value = [newHeader()]
            }}
          >
            Give them anew
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
          {given.map(({ id, name, value }, at) => (
            <div class="own-header" key={id}>
              <Field
                label={`Header ${at + 1}, name`}
                name="header-name"
                autocomplete="off"
                value={name}
                onInput={({ currentTarget }) => change(id, { name: currentTarget.value })}
              />
              <Field
                label={`Header ${at + 1}, value`}
                name="header-value"
                autocomplete="off"
                value={value}
                onInput={({ currentTarget }) => change(id, { value: currentTarget.value })}
              />
              <Button
                aria-label={`Remove header ${at + 1}`}
                onClick={() => {
                  inputs.value = given.filter((one) => one.id !== id)
                }}
              >
                Remove
              </Button>
            </div>
          ))}
          {given.length < MOST && (
            <p class="actions">
              <Button
                onClick={() => {
                  inputs.value = [...given, newHeader()]
                }}
              >
                <Icon name="plus" />
                Add a header
              </Button>
              {webhook?.headers && (
                <Button
                  kind="quiet"
                  onClick={() => {
                    inputs.value = undefined
                  }}
                >
                  Leave them as they are
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

import { Button } from './form.tsx'
import type { Key, KeyGroup } from './keys.tsx'

/** Adds the keys of all screens that the finder, the browser and dialogs handle. */
function withOthers({ title, keys }: KeyGroup): KeyGroup {
  const finder: Key = { keys: ['Ctrl', 'K'], does: 'find notes, rows, files and commands' }
  const others: readonly Key[] = [
    { keys: ['Tab'], does: 'next control' },
    { keys: ['Esc'], does: 'close the dialog or menu' },
  ]
  return { title, keys: [finder, ...keys, ...others] }
}

export const KeyList = ({ groups, onClose }: { groups: readonly KeyGroup[]; onClose: () => void }) => (
  <>
    <header class="bar">
      <h2 id="keys-h">Keyboard shortcuts</h2>
      <span class="grow" />
      <Button kind="quiet" onClick={onClose}>
        Close <kbd>Esc</kbd>
      </Button>
    </header>
    {groups.with(-1, withOthers(groups.at(-1) as KeyGroup)).map(({ title, keys }) => (
      <section class="section" key={title}>
        <h3>{title}</h3>
        <dl>
          {keys.map((key) => (
            <div key={key.does}>
              <dt>
                {key.keys.map((name) => (
                  <kbd key={name}>{name}</kbd>
                ))}
              </dt>
              <dd>{key.does}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
    <p class="section">
      <a href="/docs/guide" target="_blank" rel="noopener">
        Guide
      </a>
    </p>
  </>
)

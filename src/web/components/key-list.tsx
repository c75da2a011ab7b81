import { Button } from './form.tsx'
import type { KeyGroup } from './keys.tsx'

export const KeyList = ({ groups, onClose }: { groups: readonly KeyGroup[]; onClose: () => void }) => (
  <>
    <header class="bar">
      <h2 id="keys-h">Keyboard shortcuts</h2>
      <span class="grow" />
      <Button kind="quiet" onClick={onClose}>
        Close <kbd>Esc</kbd>
      </Button>
    </header>
    {groups.map(({ title, keys }) => (
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

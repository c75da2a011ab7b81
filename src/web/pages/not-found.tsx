import { address } from '../router.ts'

/** Shown for unknown addresses. */
export const Main = () => (
  <main id="main">
    <div class="pane content">
      <header class="bar">
        <h1>Not found</h1>
      </header>
      <p class="body">
        There is no page at this address. <a href={address(['notes'])}>Show notes</a>
      </p>
    </div>
  </main>
)

import { address } from '../router.ts'

/** An address that leads nowhere. */
export const Main = () => (
  <main id="main">
    <div class="pane content">
      <header class="bar">
        <h1>Nothing here</h1>
      </header>
      <p class="body">
        This address leads to no screen. <a href={address(['notes'])}>Go to the notes</a>.
      </p>
    </div>
  </main>
)

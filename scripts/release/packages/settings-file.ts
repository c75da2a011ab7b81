import { serve } from '../../../src/cli/commands/serve.ts'

/** The unit sets the database path, because only the unit's folder is writable. */
const SET_BY_UNIT = 'db'

/** `/etc/default/daybook`: every setting of the server, commented out. */
export function settingsFile(): string {
  const settings = serve.flags
    .filter(({ name }) => name !== SET_BY_UNIT)
    .map(({ name, value, help }) => {
      const variable = `DAYBOOK_${name.toUpperCase().replaceAll('-', '_')}`
      const [, standard = ''] = /\(default (\S+)\)/.exec(help) ?? []
      return `# <${value}>: ${help}\n#${variable}=${standard}\n`
    })
  return `# Settings of the daybook service; "systemctl restart daybook" applies them. Several values have spaces between.
# The database is /var/lib/daybook/daybook.db, and only that folder can be written: for backups by the server,
# DAYBOOK_BACKUP_DIR=/var/lib/daybook/backups.

${settings.join('\n')}`
}

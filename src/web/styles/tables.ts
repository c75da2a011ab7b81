import { addStyles } from './add-styles.ts'
import styles from './tables.css' with { type: 'text' }

addStyles(styles)

import { addStyles } from './add-styles.ts'
import styles from './drag.css' with { type: 'text' }

addStyles(styles)

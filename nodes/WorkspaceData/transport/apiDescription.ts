export { describedFieldTypes } from '../records/describedTypes';

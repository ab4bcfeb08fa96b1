//! The columns of a batch that hold values, below groups and lists.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;

/// The column at this path; `None` if there is none, or if it is in a list.
pub(crate) fn leaf<'b>(batch: &'b RecordBatch, path: &[String]) -> Option<&'b ArrayRef> {
    let (root, inner) = path.split_first()?;
    let root = batch.column_by_name(root)?;
    inner.iter().try_fold(root, |group, name| group.as_struct_opt()?.column_by_name(name))
}

/// Calls `visit` with the values in an array, in the order of the columns of the file. Of a list, those of all its elements.
pub(crate) fn leaves(array: &ArrayRef, visit: &mut impl FnMut(&ArrayRef)) {
    match array.data_type() {
        DataType::Struct(_) => array.as_struct().columns().iter().for_each(|column| leaves(column, visit)),
        DataType::List(_) => leaves(&elements(array), visit),
        _ => visit(array),
    }
}

/// The elements of an array of lists.
pub(crate) fn elements(array: &ArrayRef) -> ArrayRef {
    let lists = array.as_list::<i32>();
    let (first, end) = (lists.value_offsets()[0], lists.value_offsets()[lists.len()]);
    lists.values().slice(first as usize, (end - first) as usize)
}

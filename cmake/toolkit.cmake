# A folder in the shape of NVIDIA's toolkit, for makefiles (CUDA_PATH) and CMake (CMAKE_CUDA_COMPILER): bin/nvcc is
# `warplens cc`, the headers and libraries are ours. A static runtime is the shared one here, by way of linker scripts.
function(warplens_toolkit root warplens headers libraries)
  file(MAKE_DIRECTORY ${root}/bin ${root}/lib64/stubs ${root}/nvvm/libdevice)
  file(CREATE_LINK ${warplens} ${root}/bin/nvcc SYMBOLIC)
  file(CREATE_LINK ${headers} ${root}/include SYMBOLIC)
  foreach(folder lib64 lib64/stubs)
    file(CREATE_LINK ${libraries}/libcudart.so ${root}/${folder}/libcudart.so SYMBOLIC)
    file(CREATE_LINK ${libraries}/libwarplens_runtime.so ${root}/${folder}/libwarplens_runtime.so SYMBOLIC)  # it needs
    file(CREATE_LINK ${libraries}/libcuda.so.1 ${root}/${folder}/libcuda.so SYMBOLIC)
    foreach(name cublas cublasLt cufft cusolver cusparse curand cudnn nccl)
      file(CREATE_LINK ${libraries}/lib${name}.so ${root}/${folder}/lib${name}.so SYMBOLIC)
    endforeach()
  endforeach()
  # Also where the libraries are: that is the folder that CMake learns from `nvcc --dryrun`.
  foreach(folder ${root}/lib64 ${libraries})
    file(WRITE ${folder}/libcudart_static.a "INPUT(-lcudart)\n")
    file(WRITE ${folder}/libcudadevrt.a "INPUT(-lcudart)\n")
  endforeach()
  file(WRITE ${root}/version.json "{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"13.0.0\"}}\n")
endfunction()
